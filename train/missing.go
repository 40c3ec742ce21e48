package train

import (
	"slices"

	"github.com/attnconv/attnconv/internal/invalid"
	"github.com/attnconv/attnconv/option"
)

// Missing returns an *option.Missing where the setting called what, optimizer, schedule or loss, names a kind that this program
// does not have; else nil.
func Missing(what, name string) error {
	var names []string
	by := ""
	switch what {
	case "optimizer":
		names, by = Solvers.Names(), "train.RegisterSolver"
	case "schedule":
		names, by = Schedules.Names(), "train.RegisterSchedule"
	case "loss":
		names, by = Losses.Names(), "train.RegisterLoss"
	}
	if by == "" || slices.Contains(names, name) {
		return nil
	}
	return &option.Missing{Key: "train." + what, Name: name, By: by, Near: invalid.Nearest(name, names)}
}
