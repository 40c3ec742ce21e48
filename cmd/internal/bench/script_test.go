package bench_test

import (
	"testing"

	"github.com/attnconv/attnconv/cmd/internal/bench"
	"github.com/attnconv/attnconv/cmd/internal/clitest"
	"github.com/attnconv/attnconv/cmd/internal/plot"
	"github.com/attnconv/attnconv/cmd/internal/train"
)

func TestMain(m *testing.M) {
	clitest.Main(m, clitest.Of(bench.New, bench.NewPoint, plot.NewCurves, train.New), bench.Documents, plot.Documents,
		train.Documents)
}

func TestScripts(t *testing.T) { clitest.Scripts(t) }
