package engine_test

import (
	"fmt"
	"strings"
	"time"

	"github.com/attnconv/attnconv/internal/sweep/engine"
)

// What Slurm is asked for, of twelve tasks of an hour.
func Example() {
	text, err := engine.Engines.Find("slurm").Text(engine.Job{
		Name: "mine", Command: []string{"attnconv", "sweep", "run", "mine", "--task", "env"}, Dir: "/srv",
		Logs:  "/srv/mine/jobs",
		Tasks: 12, Time: time.Hour, Memory: 4 << 30, Cores: 8,
	})
	if err != nil {
		fmt.Println(err)
		return
	}
	for line := range strings.Lines(string(text)) {
		if strings.HasPrefix(line, "#SBATCH") {
			fmt.Print(line)
		}
	}
	// Output:
	// #SBATCH --job-name=mine
	// #SBATCH --array=0-11
	// #SBATCH --time=01:00:00
	// #SBATCH --nodes=1
	// #SBATCH --ntasks=1
	// #SBATCH --cpus-per-task=8
	// #SBATCH --mem=4096M
	// #SBATCH --requeue
	// #SBATCH --open-mode=append
	// #SBATCH --signal=B:USR1@120
	// #SBATCH --output=/srv/mine/jobs/%A_%a.log
}
