package engine

import (
	"slices"

	"github.com/attnconv/attnconv/option"
)

// Options are what only some engines know: each names in Takes those that it does.
type Options struct {
	// MPI ranks of a task, each with the job's cores and memory; 0: it is one process
	Ranks   int      `json:"ranks,omitempty"`
	AtMost  int      `json:"at_most,omitempty"` // tasks at a time; 0: as many as the engine takes
	Queue   string   `json:"queue,omitempty"`   // partition, queue; "": the engine's default
	Account string   `json:"account,omitempty"` // "": the engine's default
	Extra   []string `json:"extra,omitempty"`   // further options, in the engine's own words
	Image   string   `json:"image,omitempty"`   // of a container, for Kubernetes
	Claim   string   `json:"claim,omitempty"`   // a PersistentVolumeClaim that is mounted at Dir, for Kubernetes
}

// known returns an *option.Error unless the options are those that the engine takes and needs.
func (o Options) known(e Engine) error {
	for _, o := range []struct {
		key   string
		given bool
	}{
		{"ranks", o.Ranks > 0}, {"at-most", o.AtMost > 0}, {"queue", o.Queue != ""}, {"account", o.Account != ""},
		{"arg", len(o.Extra) > 0},
		{"image", o.Image != ""}, {"claim", o.Claim != ""},
	} {
		switch {
		case o.given && !slices.Contains(e.Takes, o.key):
			return option.Errorf(o.key, "is nothing that %s knows", e.Title)
		case !o.given && slices.Contains(e.Needs, o.key):
			return option.Errorf(o.key, "is missing: %s needs it", e.Title)
		}
	}
	return nil
}
