package mpi

import (
	"slices"
	"sync"
	"testing"
)

func TestLaunched(t *testing.T) {
	for _, tt := range []struct {
		env     map[string]string
		want    Launch
		several bool
	}{
		{nil, Launch{}, false},
		{map[string]string{"OMPI_COMM_WORLD_RANK": "3", "OMPI_COMM_WORLD_SIZE": "4", "PMIX_RANK": "3"},
			Launch{3, 4, "OMPI_COMM_WORLD_RANK", true}, true},
		{map[string]string{"OMPI_COMM_WORLD_RANK": "0", "OMPI_COMM_WORLD_SIZE": "1"},
			Launch{0, 1, "OMPI_COMM_WORLD_RANK", true}, false},
		{map[string]string{"PMI_RANK": "1", "PMI_SIZE": "2"}, Launch{1, 2, "PMI_RANK", false}, true},
		// srun -n 1
		{map[string]string{"PMIX_RANK": "0", "SLURM_STEP_NUM_TASKS": "1"}, Launch{0, 1, "PMIX_RANK", true}, false},
		{map[string]string{"PMIX_RANK": "0"}, Launch{0, 0, "PMIX_RANK", true}, true},
		{map[string]string{"PMI_RANK": "many", "PMI_SIZE": "2"}, Launch{}, false},
		{map[string]string{"SLURM_STEP_NUM_TASKS": "4"}, Launch{}, false},
	} {
		got, several := DetectLaunch(func(name string) string { return tt.env[name] })
		if got != tt.want || several != tt.several {
			t.Errorf("%v: %+v, %t; want %+v, %t", tt.env, got, several, tt.want, tt.several)
		}
	}
}

// Local ranks exchange blocks and gather, as often as they like; lengths that do not fit, and a rank that leaves, are
// errors.
func TestLocal(t *testing.T) {
	const n = 3
	var running sync.WaitGroup
	for _, m := range Local(n) {
		running.Go(func() {
			for round := range 100 {
				if err := exercise(m, round); err != "" {
					t.Error(err)
				}
			}
			if m.Exchange(make([]float32, 4), make([]float32, 4)) == nil ||
				m.Gather(make([]float32, 4), make([]float32, 1)) == nil {
				t.Error("lengths that do not fit were taken")
			}
			if m.Rank() == 2 {
				m.Leave()
			} else if m.Gather(make([]float32, n), make([]float32, 1)) == nil {
				t.Error("a rank that has left is not missed")
			}
		})
	}
	running.Wait()
}

// ranks is what Member and World have in common.
type ranks interface {
	Rank() int
	Size() int
	Exchange(receive, send []float32) error
	Gather(all, own []float32) error
}

// exercise exchanges and gathers, and says what is wrong.
func exercise(m ranks, round int) string {
	n, send, want := m.Size(), []float32{}, []float32{}
	for i := range n {
		send = append(send, float32(round), float32(10*m.Rank()+i))
		want = append(want, float32(round), float32(10*i+m.Rank()))
	}
	got := make([]float32, 2*n)
	if err := m.Exchange(got, send); err != nil || !slices.Equal(got, want) {
		return "an exchange got other blocks than those sent"
	}
	all, wantAll := make([]float32, 2*n), []float32{}
	for i := range n {
		wantAll = append(wantAll, float32(i), float32(round))
	}
	if err := m.Gather(all, []float32{float32(m.Rank()), float32(round)}); err != nil || !slices.Equal(all, wantAll) {
		return "a gather got something else than what was given"
	}
	return ""
}
