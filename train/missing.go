package train

import "github.com/attnconv/attnconv/option"

// Missing returns an *option.Missing where the setting called what, optimizer, schedule or loss, names a kind that this program
// does not have; else nil.
func Missing(what, name string) error {
	has, by := true, ""
	switch what {
	case "optimizer":
		has, by = Solvers.Has(name), "train.RegisterSolver"
	case "schedule":
		has, by = Schedules.Has(name), "train.RegisterSchedule"
	case "loss":
		has, by = Losses.Has(name), "train.RegisterLoss"
	}
	if has {
		return nil
	}
	return &option.Missing{Key: "train." + what, Name: name, By: by}
}
