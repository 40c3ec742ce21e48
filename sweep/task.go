package sweep

import (
	"fmt"
	"os"
	"strconv"
)

// Variables are the environment variables in which schedulers pass the index of an array task, and the index of the first
// task.
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

// Task returns the index, from 0, of the array task that this process is, and the variable that says so. variable is "" if
// the process is not an array task. getenv is os.Getenv if it is nil.
func Task(getenv func(string) string) (i int, variable string, err error) {
	if getenv == nil {
		getenv = os.Getenv
	}
	for _, v := range Variables {
		text := getenv(v.Name)
		if text == "" || text == "undefined" { // Grid Engine, outside of arrays
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
