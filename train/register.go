package train

import (
	"fmt"
	"reflect"

	"github.com/attnconv/attnconv/internal/own"
	"github.com/attnconv/attnconv/internal/strict"
)

// RegisterSolver adds a solver at the end of Solvers. The program then has it wherever it has its own: as train.optimizer,
// with the solver's options as flags, configuration keys and axes of sweeps; its slots are in checkpoints. New finds the values of
// Options in Options.SolverOptions.
//
// Call it in an init function or in main, before anything else of this module: it must not run while Solvers is read. It
// panics, with an error that says what is wrong, if the name is taken or is none, if New is nil, or if Options cannot be
// options.
func RegisterSolver(k SolverKind) {
	register("RegisterSolver", k.group(), Solvers.Names(), k.New == nil, "New")
	Solvers = append(Solvers, k)
}

// RegisterSchedule adds a schedule at the end of Schedules: train.schedule. Otherwise it is as RegisterSolver.
func RegisterSchedule(s Schedule) {
	register("RegisterSchedule", s.group(), Schedules.Names(), s.Rate == nil, "Rate")
	Schedules = append(Schedules, s)
}

// RegisterLoss adds a loss at the end of Losses: train.loss. Otherwise it is as RegisterSolver. Evaluations report
// cross-entropy without smoothing, whatever the loss.
func RegisterLoss(k LossKind) {
	register("RegisterLoss", k.group(), Losses.Names(), k.New == nil, "New")
	Losses = append(Losses, k)
}

// register panics with what is wrong with a kind. lacks says that it has no function, called so.
func register(by string, g own.Group, names []string, lacks bool, function string) {
	err := g.Check(names, fieldsOf().Keys())
	if err == nil && lacks {
		err = fmt.Errorf("%s %s: %s is nil: want a function", g.What, g.Name, function)
	}
	if err != nil {
		panic(fmt.Errorf("train.%s: %w", by, err))
	}
}

func (k SolverKind) group() own.Group {
	return own.Group{What: "optimizer", Name: k.Name, Options: k.Options}
}

func (s Schedule) group() own.Group {
	return own.Group{What: "schedule", Name: s.Name, Options: s.Options}
}

func (k LossKind) group() own.Group {
	return own.Group{What: "loss", Name: k.Name, Options: k.Options}
}

// groups lists the options of kinds that have some of their own. It is a variable because the tables refer to functions
// that ask it.
var groups func() []own.Group

func init() { groups = allGroups }

func allGroups() (all []own.Group) {
	add := func(g own.Group) {
		if g.Options != nil {
			all = append(all, g)
		}
	}
	for _, k := range Solvers {
		add(k.group())
	}
	for _, s := range Schedules {
		add(s.group())
	}
	for _, k := range Losses {
		add(k.group())
	}
	return all
}

var ownFields = strict.FieldsOf(reflect.TypeFor[Options]()) // those of Options, without what registered kinds bring

// ownIndex is the position of Options.Own.
var ownIndex = func() int {
	f, _ := reflect.TypeFor[Options]().FieldByName("Own")
	return f.Index[0]
}()

func fieldsOf() strict.Fields {
	all := ownFields
	for _, g := range groups() {
		all = append(all[:len(all):len(all)], g.Fields(ownIndex)...)
	}
	return all
}

// OwnOptions lists the options that registered solvers, schedules and losses bring, with keys of Options.
func OwnOptions() (all []own.Option) {
	for _, g := range groups() {
		all = append(all, g.List()...)
	}
	return all
}

// chosen returns the name that the setting called what has in o.
func (o Options) chosen(what string) string {
	return map[string]string{"optimizer": o.Optimizer, "schedule": o.Schedule, "loss": o.Loss}[what]
}

// Uses reports whether a setting, called as in YAML, has a part in training as o says: of the options that registered kinds
// bring, only those of the chosen ones have.
func (o Options) Uses(setting string) bool {
	for _, g := range groups() {
		for _, own := range g.List() {
			if own.Key == setting {
				return o.chosen(g.What) == g.Name
			}
		}
	}
	return true
}

// SolverOptions returns the own options of the chosen solver: a pointer to a struct of the type of SolverKind.Options; nil for
// a solver without.
func (o Options) SolverOptions() any { return o.read("optimizer", o.Optimizer) }

// ScheduleOptions returns the own options of the chosen schedule, as SolverOptions does.
func (o Options) ScheduleOptions() any { return o.read("schedule", o.Schedule) }

// LossOptions returns the own options of the chosen loss, as SolverOptions does.
func (o Options) LossOptions() any { return o.read("loss", o.Loss) }

func (o Options) read(what, name string) any {
	for _, g := range groups() {
		if g.What == what && g.Name == name {
			return g.Read(o.Own)
		}
	}
	return nil
}

// checkOwn returns the first rule that an option of a registered kind breaks.
func (o Options) checkOwn() error {
	key := func(key string) string { return "train." + key }
	if err := fieldsOf()[len(ownFields):].Check(o.Own, key); err != nil {
		return err
	}
	for _, g := range groups() {
		if o.chosen(g.What) != g.Name {
			continue
		}
		if err := g.Validate(o.Own, key, "train."+g.What); err != nil {
			return err
		}
	}
	return nil
}
