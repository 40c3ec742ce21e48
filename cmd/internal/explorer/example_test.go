package explorer_test

import (
	"fmt"
	"net/http"
	"net/http/httptest"

	"github.com/attnconv/attnconv/cmd/internal/explorer"
)

// The page is an http.Handler: a program can serve it among its own pages.
func Example() {
	page := explorer.New(explorer.Options{Runs: "runs"})
	ask := httptest.NewRequest(http.MethodGet, "http://localhost:8910/", nil)
	answer := httptest.NewRecorder()
	page.ServeHTTP(answer, ask)
	fmt.Println(answer.Code, answer.Header().Get("Content-Type"))
	// Output:
	// 200 text/html; charset=utf-8
}
