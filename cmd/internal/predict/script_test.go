package predict_test

import (
	"testing"

	"github.com/attnconv/attnconv/cmd/internal/clitest"
	"github.com/attnconv/attnconv/cmd/internal/plot"
	"github.com/attnconv/attnconv/cmd/internal/predict"
	"github.com/attnconv/attnconv/cmd/internal/train"
)

func TestMain(m *testing.M) {
	clitest.Main(m, clitest.Of(plot.NewHeads, predict.New, train.New), plot.Documents, predict.Documents,
		train.Documents)
}

func TestScripts(t *testing.T) { clitest.Scripts(t) }
