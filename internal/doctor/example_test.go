package doctor_test

import (
	"context"
	"fmt"
	"slices"

	"github.com/attnconv/attnconv/internal/doctor"
)

// A program checks the arithmetic of its machine, and something of its own.
func Example() {
	checks := slices.DeleteFunc(doctor.Checks(), func(c doctor.Check) bool { return c.Name != "arithmetic" })
	checks = append(checks, doctor.Check{Name: "license", Run: func(context.Context, doctor.Options) (doctor.Status,
		string) {
		return doctor.Warn, "it ends tomorrow"
	}})
	for f := range doctor.Run(context.Background(), doctor.Options{}, checks) {
		fmt.Println(f.Status, f.Name)
	}
	// Output:
	// PASS arithmetic
	// WARN license
}
