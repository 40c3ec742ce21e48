package sweep

import (
	"fmt"
	"strconv"
)

// Variables are where engines that run arrays of tasks put a task's number, and the number of the first task where the
// engine has a fixed one.
var Variables = []struct {
	Name, Engine string
	First        int
}{
	{"SLURM_ARRAY_TASK_ID", "Slurm (--array=0-N)", 0},
	{"JOB_COMPLETION_INDEX", "Kubernetes (indexed jobs)", 0},
	{"AWS_BATCH_JOB_ARRAY_INDEX", "AWS Batch", 0},
	{"PBS_ARRAY_INDEX", "PBS (-J 0-N)", 0},
	{"PBS_ARRAYID", "Torque (-t 0-N)", 0},
	{"SGE_TASK_ID", "Grid Engine (-t 1-N)", 1},
	{"LSB_JOBINDEX", "LSF ([1-N])", 1},
}

// Task returns the number, from 0, of the task that an engine started this process as, and the variable that says so;
// "" where none does.
func Task(getenv func(string) string) (i int, variable string, err error) {
	for _, v := range Variables {
		text := getenv(v.Name)
		if text == "" || text == "undefined" { // as Grid Engine has it outside of arrays
			continue
		}
		n, err := strconv.Atoi(text)
		if err != nil || n < v.First {
			return 0, v.Name, fmt.Errorf("%s=%s: want a whole number from %d", v.Name, text, v.First)
		}
		return n - v.First, v.Name, nil
	}
	return 0, "", nil
}
