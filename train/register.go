package train

import "github.com/attnconv/attnconv/internal/own"

// RegisterSolver adds a solver at the end of Solvers. The program then has it wherever it has its own: as
// train.optimizer, with the solver's options as flags, configuration keys and axes of sweeps; its slots are in
// checkpoints. New finds the values of Options in Options.SolverOptions.
//
// Call it in an init function or in main, before anything else of this module: it must not run while Solvers is read.
// It panics, with an error that says what is wrong, if the name is taken or is none, if New is nil, or if Options
// cannot be options.
func RegisterSolver(k SolverKind) {
	solvers.Add(k, settings.All().Keys(), missingFunction(k.New == nil, "New"))
}

// RegisterSchedule adds a schedule at the end of Schedules: train.schedule. Otherwise it is as RegisterSolver.
func RegisterSchedule(s Schedule) {
	schedules.Add(s, settings.All().Keys(), missingFunction(s.Rate == nil, "Rate"))
}

// RegisterLoss adds a loss at the end of Losses: train.loss. Otherwise it is as RegisterSolver. Evaluations report
// cross-entropy without smoothing, whatever the loss.
func RegisterLoss(k LossKind) {
	losses.Add(k, settings.All().Keys(), missingFunction(k.New == nil, "New"))
}

// missingFunction says that a kind has no function, called so.
func missingFunction(none bool, function string) string {
	if none {
		return function + " is nil: want a function"
	}
	return ""
}

var (
	solvers = own.Registry[SolverKind]{List: &Solvers, What: "optimizer", Key: "optimizer", Setting: "train.optimizer",
		By: "train.RegisterSolver", Options: func(k SolverKind) any { return k.Options }}
	schedules = own.Registry[Schedule]{List: &Schedules, What: "schedule", Key: "schedule", Setting: "train.schedule",
		By: "train.RegisterSchedule", Options: func(s Schedule) any { return s.Options }}
	losses = own.Registry[LossKind]{List: &Losses, What: "loss", Key: "loss", Setting: "train.loss",
		By: "train.RegisterLoss", Options: func(k LossKind) any { return k.Options }}
)

// settings are those of Options, and the options that registered solvers, schedules and losses bring.
var settings = own.SettingsOf[Options]("train", solvers, schedules, losses)

// Uses reports whether a setting, called as in YAML, has a part in training as o says: of the options that registered
// kinds bring, only those of the chosen ones have.
func (o Options) Uses(setting string) bool { return settings.Uses(o, setting) }

// SolverOptions returns the own options of the chosen solver: a pointer to a struct of the type of SolverKind.Options;
// nil for a solver without.
func (o Options) SolverOptions() any { return solvers.Read(o.Optimizer, o.Own) }

// ScheduleOptions returns the own options of the chosen schedule, as SolverOptions does.
func (o Options) ScheduleOptions() any { return schedules.Read(o.Schedule, o.Own) }

// LossOptions returns the own options of the chosen loss, as SolverOptions does.
func (o Options) LossOptions() any { return losses.Read(o.Loss, o.Own) }
