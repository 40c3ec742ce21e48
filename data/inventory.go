package data

import (
	"strings"

	"github.com/attnconv/attnconv/internal/table"
	"github.com/attnconv/attnconv/internal/visible"
)

// An Inventory says what an import took of its input, what it left, and what it decided: Taken, Read and the names of
// Left together are what is there. A folder that is named stands for all that is in it.
type Inventory struct {
	Taken  int      `json:"taken"`            // number of pictures, or of tensors, that were read
	Read   []string `json:"read,omitempty"`   // other files that were read: labels, names of classes
	Left   []Rest   `json:"left"`             // what was not read, by kind and reason
	Losses []Loss   `json:"losses,omitempty"` // what pictures lost that were taken
	Notes  []string `json:"notes,omitempty"`  // what was decided, and what the input lacks, a sentence each
}

// Lines says what an import left, one line a kind and reason, then what the things that it took have lost, and what
// it decided. A list that would have to be cut is counted instead: which of its names matter is not known here, and
// --json has all of them.
func (v Inventory) Lines() []string {
	const few, wide = 4, 60
	var lines []string
	for _, r := range v.Left {
		if r.Usual {
			continue
		}
		line := table.Count(len(r.Names), r.What)
		names := visible.Word(strings.Join(r.Names, ", "))
		if len(r.Names) == 1 || len(r.Names) <= few && visible.Columns(names) <= wide {
			line += " (" + names + ")"
		}
		line += ": " + r.Why
		if r.Do != "" {
			line += "; " + r.Do
		}
		lines = append(lines, line)
	}
	for _, l := range v.Losses {
		lines = append(lines, table.Count(l.N, "picture")+" "+l.Why)
	}
	return append(lines, v.Notes...)
}

// A Rest is what an import left of its input: things of one kind, left for one reason.
type Rest struct {
	What  string   `json:"what"`            // one of them: file, folder, picture, class, tensor, object, set of weights
	Why   string   `json:"why"`             // the reason
	Do    string   `json:"do,omitempty"`    // what the user can type or change, if anything
	Names []string `json:"names"`           // all of them, as the input names them
	Usual bool     `json:"usual,omitempty"` // inputs have it as a rule: it is not shown on a terminal
}

// A Loss counts pictures that were taken with less than their files have.
type Loss struct {
	N     int    `json:"n"`     // number of pictures
	Why   string `json:"why"`   // what became of them
	First string `json:"first"` // the first of them
}

// Leave adds something that was not read: what it is, its name, why it was left, and what the user can do, or "".
func (v *Inventory) Leave(what, name, why, do string) {
	v.leave(Rest{What: what, Why: why, Do: do}, name)
}

// LeaveUsual adds something that was not read and that inputs have as a rule.
func (v *Inventory) LeaveUsual(what, name, why string) {
	v.leave(Rest{What: what, Why: why, Usual: true}, name)
}

func (v *Inventory) leave(kind Rest, name string) {
	for i, r := range v.Left {
		if r.What == kind.What && r.Why == kind.Why && r.Do == kind.Do && r.Usual == kind.Usual {
			v.Left[i].Names = append(r.Names, name)
			return
		}
	}
	kind.Names = []string{name}
	v.Left = append(v.Left, kind)
}

// Lose counts n pictures that were taken with less than their files have; name is the name of the first.
func (v *Inventory) Lose(n int, name, why string) {
	for i, l := range v.Losses {
		if l.Why == why {
			v.Losses[i].N += n
			return
		}
	}
	v.Losses = append(v.Losses, Loss{n, why, name})
}
