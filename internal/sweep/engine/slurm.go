package engine

import (
	"context"
	"fmt"
	"os/exec"
	"strconv"
	"strings"
	"time"

	"github.com/attnconv/attnconv/internal/shell"
)

// slurm: sbatch(1), as of 22.05. A task is run again by scontrol requeue, which any user may call for a job of theirs:
// RequeueExit is the administrator's. Slurm itself writes to the log, of a kill for memory or time; a folder whose name
// could mean something else in a directive is left to the shell, without these lines.
var slurm = Engine{
	Name: "slurm", Title: "Slurm", Program: "sbatch", Suffix: ".sh",
	Usual: 1001, Limit: "MaxArraySize", Site: slurmSite,
	Takes: []string{"ranks", "at-most", "queue", "account", "arg"},
	Render: func(j Job) []byte {
		array := fmt.Sprintf("0-%d", j.Tasks-1)
		if j.AtMost > 0 {
			array += fmt.Sprintf("%%%d", j.AtMost)
		}
		output, log := j.Logs+"/%A_%a.log", ""
		if shell.Word(j.Logs) != j.Logs || strings.Contains(j.Logs, "%") {
			output, log = "/dev/null", shell.Word(j.Logs+"/")+`"$SLURM_ARRAY_JOB_ID"_"$SLURM_ARRAY_TASK_ID".log`
		}
		directives := []string{
			"--job-name=" + j.Name,
			"--array=" + array,
			"--time=" + clock(j.Time),
		}
		directives = append(directives, slurmSizes(j)...)
		directives = append(directives,
			"--requeue",
			"--open-mode=append",
			fmt.Sprintf("--signal=B:USR1@%d", seconds(Notice(j.Time))),
			"--output="+output,
		)
		directives = append(directives, optional("--partition=", j.Queue)...)
		directives = append(directives, optional("--account=", j.Account)...)
		return j.script("#SBATCH", directives, log,
			`exec scontrol requeue "$SLURM_ARRAY_JOB_ID"_"$SLURM_ARRAY_TASK_ID"`)
	},
	Submit: func(file string) []string { return []string{"--parsable", file} },
	ID: func(printed string) string { // 17, or 17;cluster
		id, _, _ := strings.Cut(printed, ";")
		return number(id)
	},
	After: func(j Job, id, file string) []string {
		args := []string{"--parsable", "--dependency=afterany:" + id, "--job-name=" + j.Name + "-collect", "--time=30",
			"--mem=1G",
			"--output=/dev/null"}
		args = append(args, optional("--partition=", j.Queue)...)
		return append(append(args, optional("--account=", j.Account)...), file)
	},
	Watch: func(id string) string { return "squeue -j " + id },
}

// slurmSite asks scontrol(1) for MaxArraySize, which an index must be below.
func slurmSite() int {
	ctx, cancel := context.WithTimeout(context.Background(), 5*time.Second)
	defer cancel()
	config, err := exec.CommandContext(ctx, "scontrol", "show", "config").Output()
	if err != nil {
		return 0
	}
	for line := range strings.Lines(string(config)) {
		if name, value, ok := strings.Cut(line, "="); ok && strings.TrimSpace(name) == "MaxArraySize" {
			n, _ := strconv.Atoi(strings.TrimSpace(value))
			return n
		}
	}
	return 0
}

// slurmSizes asks for the cores and the memory of a task. Its ranks may lie on several nodes, of which --mem would be
// each one's.
func slurmSizes(j Job) []string {
	cores := fmt.Sprintf("--cpus-per-task=%d", j.Cores)
	if j.Ranks == 0 {
		return []string{"--nodes=1", "--ntasks=1", cores, fmt.Sprintf("--mem=%dM", mebibytes(j.Memory))}
	}
	each := (j.Memory + int64(j.Cores) - 1) / int64(j.Cores)
	return []string{fmt.Sprintf("--ntasks=%d", j.Ranks), cores, fmt.Sprintf("--mem-per-cpu=%dM", mebibytes(each))}
}

// clock formats a time as sbatch takes it.
func clock(t time.Duration) string {
	return fmt.Sprintf("%02d:%02d:00", int(t.Hours()), int(t.Minutes())%60)
}

func seconds(t time.Duration) int { return int(t / time.Second) }

// mebibytes rounds up.
func mebibytes(bytes int64) int64 { return (bytes + 1<<20 - 1) >> 20 }

// optional returns an option with its value, or nothing if there is no value.
func optional(option, value string) []string {
	if value == "" {
		return nil
	}
	return []string{option + value}
}

// number returns text if it is a whole number, else "".
func number(text string) string {
	if text == "" || strings.Trim(text, "0123456789") != "" {
		return ""
	}
	return text
}
