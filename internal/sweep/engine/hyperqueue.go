package engine

import (
	"fmt"

	"github.com/attnconv/attnconv/internal/shell"
)

// hyperQueue: hq submit of a script with directives, as of 0.19. A task is not started on a worker that ends before
// --time-request, and is started again if its worker is lost; there is no limit that it could pass, and none to be told
// of. Memory is the resource that workers call mem, in MiB.
var hyperQueue = Engine{
	Name: "hyperqueue", Title: "HyperQueue", Program: "hq", Suffix: ".sh",
	Takes: []string{"arg"},
	Render: func(j Job) []byte {
		directives := []string{
			"--name=" + j.Name,
			fmt.Sprintf("--array=0-%d", j.Tasks-1),
			fmt.Sprintf("--time-request=%ds", seconds(j.Time)),
			fmt.Sprintf("--cpus=%d", j.Cores),
			fmt.Sprintf("--resource mem=%d", mebibytes(j.Memory)),
			fmt.Sprintf("--crash-limit=%d", retries+1),
			"--stdout=none",
			"--stderr=none",
		}
		log := shell.Word(j.Logs+"/") + `"$HQ_JOB_ID"_"$HQ_TASK_ID".log`
		return j.script("#HQ", directives, log, `exit "$code"`)
	},
	Submit: func(file string) []string { return []string{"--output-mode=quiet", "submit", file} },
	ID:     number,
	Watch:  func(id string) string { return "hq job info " + id },
}

// retries is how often an engine that counts them runs a failed task again.
const retries = 2
