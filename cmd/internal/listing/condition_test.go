package listing

import (
	"errors"
	"strings"
	"testing"

	"github.com/attnconv/attnconv/configs"
	"github.com/attnconv/attnconv/option"
)

// A condition is a setting by its key or its flag, with an older word in place; what can match no run is an error.
func TestCondition(t *testing.T) {
	for text, want := range map[string]configs.Flag{
		"model.encoding=learned": {Name: "where model.encoding", Key: "model.encoding", Text: "learned"},
		"lr = 0.05":              {Name: "where lr", Key: "train.lr", Text: "0.05"},
		"--data=./pets":          {Name: "where --data", Key: "data.name", Text: "./pets"},
		"encoding=gaussian":      {Name: "where encoding", Key: "model.encoding", Text: "quadratic"},
		"train.betas=0.9,0.95":   {Name: "where train.betas", Key: "train.betas", Text: "0.9,0.95"},
	} {
		if got, err := Condition("where", text); err != nil || got != want {
			t.Errorf("%s: %+v, %v; want %+v", text, got, err, want)
		}
	}
	for text, want := range map[string]string{
		"seed":                  `where "seed": want key=value`,
		"train.lrr=1":           "did you mean \"train.lr\"?",
		"nothing of the kind=1": `where "nothing of the kind": not a setting such as train.lr`,
		"model.encoding=lerned": `did you mean "learned"?`,
		"train.lr=fast":         "want a number",
	} {
		_, err := Condition("where", text)
		var one *option.Error
		var other *configs.Error
		if err == nil || !strings.Contains(err.Error(), want) || !errors.As(err, &one) && !errors.As(err, &other) {
			t.Errorf("%s: %T %v, want %q", text, err, err, want)
		}
	}
}
