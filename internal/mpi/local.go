package mpi

import (
	"errors"
	"fmt"
	"sync"
)

// Local are ranks that are goroutines of this process, for tests.
func Local(n int) []*Member {
	t := &table{n: n, sent: make([][]float32, n)}
	t.turn = sync.NewCond(&t.lock)
	ranks := make([]*Member, n)
	for i := range ranks {
		ranks[i] = &Member{t, i}
	}
	return ranks
}

// A Member is a rank of Local.
type Member struct {
	table *table
	rank  int
}

// table is where members put what they send.
type table struct {
	n      int
	sent   [][]float32
	lock   sync.Mutex
	turn   *sync.Cond
	here   int // members that wait
	rounds int
	left   bool
}

// Rank returns the number of this rank.
func (m *Member) Rank() int { return m.rank }

// Size returns how many ranks there are.
func (m *Member) Size() int { return m.table.n }

// Exchange sends block i of send to rank i, and sets block i of receive to what rank i sent.
func (m *Member) Exchange(receive, send []float32) error {
	n := len(send) / m.table.n
	if len(receive) != len(send) || n*m.table.n != len(send) {
		return fmt.Errorf("exchange of %d and %d elements among %d ranks", len(send), len(receive), m.table.n)
	}
	return m.round(send, func(rank int, sent []float32) int {
		return copy(receive[rank*n:(rank+1)*n], sent[m.rank*n:])
	})
}

// Gather sets block i of all to what rank i gives as own.
func (m *Member) Gather(all, own []float32) error {
	n := len(own)
	if len(all) != n*m.table.n {
		return fmt.Errorf("gather of %d elements of %d ranks to %d", n, m.table.n, len(all))
	}
	return m.round(own, func(rank int, sent []float32) int { return copy(all[rank*n:(rank+1)*n], sent) })
}

// round shows what this rank sends, and takes what the others do; none goes on before all have taken.
func (m *Member) round(send []float32, take func(rank int, sent []float32) int) error {
	t := m.table
	t.sent[m.rank] = send
	if err := t.wait(); err != nil {
		return err
	}
	for rank, sent := range t.sent {
		if len(sent) != len(send) {
			return fmt.Errorf("rank %d sends %d elements, rank %d %d", rank, len(sent), m.rank, len(send))
		}
		take(rank, sent)
	}
	return t.wait()
}

// wait returns when all members wait.
func (t *table) wait() error {
	t.lock.Lock()
	defer t.lock.Unlock()
	round := t.rounds
	if t.here++; t.here == t.n {
		t.here, t.rounds = 0, round+1
		t.turn.Broadcast()
	}
	for t.rounds == round && !t.left {
		t.turn.Wait()
	}
	if t.rounds == round {
		return errors.New("a rank has left")
	}
	return nil
}

// Leave makes what the other ranks wait for an error.
func (m *Member) Leave() {
	m.table.lock.Lock()
	defer m.table.lock.Unlock()
	m.table.left = true
	m.table.turn.Broadcast()
}
