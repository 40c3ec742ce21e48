// Command fashion trains on IDX files, by default Fashion-MNIST's, and draws where the heads attend: from files to
// figure.
//
//	go run ./fashion [FOLDER]    after: apt-get install dataset-fashion-mnist
package main

import (
	"context"
	"fmt"
	"log"
	"os"

	"github.com/attnconv/attnconv/data/sets"
	"github.com/attnconv/attnconv/session"
	"github.com/attnconv/attnconv/session/trained"
	"github.com/attnconv/attnconv/viz"
)

func main() {
	folder := append(os.Args, sets.Installed("fashion-mnist"))[1]
	if err := trainAndDraw(folder, "fashion.svg", "train.epochs=1"); err != nil {
		log.Fatal(err)
	}
}

// trainAndDraw trains the preset for Fashion-MNIST, with changed settings, on the set in folder.
func trainAndDraw(folder, to string, changed ...string) error {
	set, _, err := sets.Recognize(folder)
	if err != nil {
		return err
	}
	settings, err := session.Settings(append([]string{"preset=fashion-mnist/quadratic"}, changed...)...)
	if err != nil {
		return err
	}
	summary, err := session.Train(context.Background(), session.Options{Settings: settings, Set: set,
		Root: to + ".runs"})
	if err != nil {
		return err
	}
	trained, err := trained.Open(to + ".runs/latest")
	if err != nil {
		return err
	}
	fmt.Printf("%d images of %s: %.1f %% of the test images\n", set.Train.Len(), set.Kind(), 100*summary.TestAcc)
	heads, _ := trained.Net.Heads()
	figure, err := viz.Heads(viz.Layers(heads), viz.HeadsOptions{})
	if err != nil {
		return err
	}
	return figure.WriteFile(to)
}
