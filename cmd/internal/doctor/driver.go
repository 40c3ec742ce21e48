package doctor

import (
	"context"
	"os/exec"
	"strings"
	"time"
)

// nvidia lists the GPUs that nvidia-smi reports: name, memory and driver version of each. The list is empty without
// nvidia-smi, which comes with the driver.
func nvidia(ctx context.Context) (gpus []string) {
	ctx, cancel := context.WithTimeout(ctx, 10*time.Second)
	defer cancel()
	out, err := exec.CommandContext(ctx, "nvidia-smi", "--query-gpu=name,memory.total,driver_version",
		"--format=csv,noheader").Output()
	if err != nil {
		return nil
	}
	for line := range strings.Lines(string(out)) {
		if f := strings.Split(strings.TrimSpace(line), ", "); len(f) == 3 {
			gpus = append(gpus, f[0]+", "+f[1]+", driver "+f[2])
		}
	}
	return gpus
}
