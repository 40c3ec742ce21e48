package report_test

import (
	"testing"

	"github.com/attnconv/attnconv/cmd/internal/clitest"
	"github.com/attnconv/attnconv/cmd/internal/report"
	"github.com/attnconv/attnconv/cmd/internal/train"
)

func TestMain(m *testing.M) {
	clitest.Main(m, clitest.Of(report.New, train.New), report.Documents, train.Documents)
}

func TestScripts(t *testing.T) { clitest.Scripts(t) }
