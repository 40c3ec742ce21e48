package trained_test

import (
	"sync"
	"testing"

	"github.com/attnconv/attnconv/data"
	"github.com/attnconv/attnconv/data/sets"
	"github.com/attnconv/attnconv/session"
)

// tiny returns a run of two epochs of four steps on shapes32, with further settings.
func tiny(t testing.TB, set ...string) session.Options {
	t.Helper()
	settings, err := session.Settings(append([]string{"data.name=shapes32", "model.layers=1", "model.heads=4",
		"model.dim=16", "model.ffn=16", "model.pool=4", "train.batch=8", "train.epochs=2",
		"train.limit_train_batches=4",
		"train.limit_val_batches=1"}, set...)...)
	if err != nil {
		t.Fatal(err)
	}
	return session.Options{Settings: settings, Set: shapes(), Root: t.TempDir()}
}

// shapes is shapes32, whose images take seconds to draw.
var shapes = sync.OnceValue(func() *data.Set {
	set, err := sets.Open(data.Options{Name: "shapes32"}, "")
	if err != nil {
		panic(err)
	}
	return set
})
