package event

// The states of a run.
const (
	Running  = "running"
	Stopped  = "stopped"
	Done     = "done"
	Failed   = "failed"
	Diverged = "diverged"
)
