package weights_test

import (
	"testing"

	"github.com/attnconv/attnconv/cmd/internal/clitest"
	"github.com/attnconv/attnconv/cmd/internal/eval"
	"github.com/attnconv/attnconv/cmd/internal/inspect"
	"github.com/attnconv/attnconv/cmd/internal/predict"
	"github.com/attnconv/attnconv/cmd/internal/train"
	"github.com/attnconv/attnconv/cmd/internal/weights"
)

func TestMain(m *testing.M) {
	clitest.Main(m, clitest.Of(eval.New, inspect.New, predict.New, train.New,
		weights.NewExport, weights.NewImport, weights.NewConvert), eval.Documents, inspect.Documents,
		predict.Documents, train.Documents, weights.Documents)
}

func TestScripts(t *testing.T) { clitest.Scripts(t) }
