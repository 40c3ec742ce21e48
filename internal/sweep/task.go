package sweep

import (
	"fmt"
	"os"
	"strconv"
	"time"

	"github.com/attnconv/attnconv/internal/sweep/engine"
)

// Variables are the environment variables in which schedulers pass the index of a task, and the index of the first
// task. Of several that are set, the first in this list counts: HyperQueue runs tasks inside the jobs of other engines,
// and the ranks of one MPI job, which come last, share the index of an array's task.
var Variables = []struct {
	Name, Engine string
	First        int
	Outside      string // the value outside of arrays, besides ""
}{
	{"HQ_TASK_ID", "HyperQueue (--array=0-N)", 0, ""},
	{"SLURM_ARRAY_TASK_ID", "Slurm (--array=0-N)", 0, ""},
	{"JOB_COMPLETION_INDEX", "Kubernetes (indexed jobs)", 0, ""},
	{"AWS_BATCH_JOB_ARRAY_INDEX", "AWS Batch", 0, ""},
	{"PBS_ARRAY_INDEX", "PBS (-J 0-N)", 0, ""},
	{"PBS_ARRAYID", "Torque (-t 0-N)", 0, ""},
	{"NOMAD_ALLOC_INDEX", "Nomad (count)", 0, ""},
	{"SGE_TASK_ID", "Grid Engine (-t 1-N)", 1, "undefined"},
	{"LSB_JOBINDEX", "LSF ([1-N])", 1, "0"},
	{"OMPI_COMM_WORLD_RANK", "Open MPI (mpirun -n N)", 0, ""},
	{"PMI_RANK", "MPICH, Slurm (srun --mpi=pmi2 -n N)", 0, ""},
}

// Task returns the index, from 0, of the task that this process is, and the variable that says so. variable is "" if no
// engine started the process. getenv is os.Getenv if it is nil.
func Task(getenv func(string) string) (i int, variable string, err error) {
	if getenv == nil {
		getenv = os.Getenv
	}
	for _, v := range Variables {
		text := getenv(v.Name)
		if text == "" || text == v.Outside {
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

// Deadline returns when the engine ends this process, as far as it says so, and when the process must have saved. It
// says so in Unix seconds (Slurm, from 22.05 on). ok is false if it does not, or names a time that no clock reaches: a
// job without a limit.
func Deadline(getenv func(string) string) (save time.Time, ok bool) {
	const never = 1 << 40 // 36,000 years
	end, err := strconv.ParseInt(getenv("SLURM_JOB_END_TIME"), 10, 64)
	if err != nil || end <= 0 || end >= never {
		return time.Time{}, false
	}
	limit := engine.MostReserve
	start, err := strconv.ParseInt(getenv("SLURM_JOB_START_TIME"), 10, 64)
	if err == nil && start < end && start > end-int64(engine.MostTime/time.Second) {
		limit = engine.Reserve(time.Duration(end-start) * time.Second)
	}
	return time.Unix(end, 0).Add(-limit), true
}

// JobOf names the engine's job and task that this process is, for people: SLURM_ARRAY_JOB_ID=17, task 3. It is ""
// outside of engines.
func JobOf(getenv func(string) string) string {
	task, variable, err := Task(getenv)
	if variable == "" || err != nil {
		return ""
	}
	for _, name := range []string{"HQ_JOB_ID", "SLURM_ARRAY_JOB_ID", "JOB_ID", "AWS_BATCH_JOB_ID", "PBS_JOBID",
		"LSB_JOBID"} {
		if id := getenv(name); id != "" {
			return fmt.Sprintf("%s=%s, task %d", name, id, task)
		}
	}
	return fmt.Sprintf("task %d of %s", task, variable)
}
