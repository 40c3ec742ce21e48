package engine

import (
	"fmt"
	"strings"

	"github.com/attnconv/attnconv/internal/shell"
)

// gridEngine: qsub(1), as of 8.1.9. Exit code 99 queues a task again. The limit on memory, h_vmem, would count address
// space, of which a Go program reserves more than it uses; mem_free asks for a host that has the memory.
var gridEngine = Engine{
	Name: "sge", Title: "Grid Engine", Program: "qsub", Suffix: ".sh", Usual: 75_000, Limit: "max_aj_tasks",
	Takes: []string{"at-most", "queue", "account", "arg"},
	Render: func(j Job) []byte {
		directives := []string{
			"-N " + j.Name,
			"-S /bin/bash",
			fmt.Sprintf("-t 1-%d", j.Tasks),
			fmt.Sprintf("-l h_rt=%d,s_rt=%d,mem_free=%dM", seconds(j.Time), seconds(j.Time-Notice(j.Time)),
				mebibytes(j.Memory)),
			"-r y",
			"-j y",
			"-o /dev/null",
		}
		if j.Cores > 1 {
			directives = append(directives, fmt.Sprintf("-pe smp %d", j.Cores))
		}
		if j.AtMost > 0 {
			directives = append(directives, fmt.Sprintf("-tc %d", j.AtMost))
		}
		directives = append(directives, optional("-q ", j.Queue)...)
		directives = append(directives, optional("-P ", j.Account)...)
		log := shell.Word(j.Logs+"/") + `"$JOB_ID"_"$SGE_TASK_ID".log`
		return j.script("#$", directives, log, "exit 99")
	},
	Submit: func(file string) []string { return []string{"-terse", file} },
	ID: func(printed string) string { // 3.1-12:1
		id, _, _ := strings.Cut(printed, ".")
		return number(id)
	},
	After: func(j Job, id, file string) []string {
		args := []string{"-terse", "-hold_jid", id, "-N", j.Name + "-collect", "-S", "/bin/bash", "-j", "y", "-o",
			"/dev/null"}
		args = append(args, pair("-q", j.Queue)...)
		return append(append(args, pair("-P", j.Account)...), file)
	},
	Watch: func(id string) string { return "qstat -j " + id },
}

// pair returns an option and its value as two arguments, or nothing if there is no value.
func pair(name, value string) []string {
	if value == "" {
		return nil
	}
	return []string{name, value}
}
