package session_test

import (
	"context"
	"fmt"
	"os"
	"path/filepath"

	"github.com/attnconv/attnconv/session"
	"github.com/attnconv/attnconv/session/trained"
)

// A run from its settings to its summary, and back to its network. Accuracy is not shown: it takes more steps.
func Example() {
	root, err := os.MkdirTemp("", "attnconv-example-")
	if err != nil {
		fmt.Println(err)
		return
	}
	defer os.RemoveAll(root)
	settings, err := session.Settings("preset=smoke", "data.name=shapes32", "train.epochs=1",
		"train.limit_train_batches=2",
		"train.limit_val_batches=1")
	if err != nil {
		fmt.Println(err)
		return
	}
	summary, err := session.Train(context.Background(), session.Options{Settings: settings, Root: root})
	if err != nil {
		fmt.Println(err)
		return
	}
	m, err := trained.Open(filepath.Join(root, "latest"))
	if err != nil {
		fmt.Println(err)
		return
	}
	fmt.Println(summary.State, "after", summary.Steps, "steps:", m.Net.Spec.Kind, "of", m.Net.Spec.EncodingName(),
		"heads")
	// Output: done after 2 steps: mhsa of quadratic heads
}
