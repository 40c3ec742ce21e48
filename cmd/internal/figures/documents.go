package figures

import "github.com/attnconv/attnconv/null"

// MapSummary summarizes the attention of a head for one query.
type MapSummary struct {
	Query  [2]int     `json:"query"`  // token: row, column
	Layer  int        `json:"layer"`  // from 1
	Head   int        `json:"head"`   // from 1
	Mean   [2]float64 `json:"mean"`   // mean of the attention, relative to the query: row, column
	Peak   float64    `json:"peak"`   // largest attention to a token
	At     [2]int     `json:"at"`     // that token, relative to the query
	Tokens float64    `json:"tokens"` // exp of the entropy: the effective number of tokens
}

// A CurveSummary is the training of one model: a mean over runs.
type CurveSummary struct {
	Name   string     `json:"name"`         // in the legend
	Runs   []string   `json:"runs"`         // ids
	Epochs int        `json:"epochs"`       // done
	Best   null.Float `json:"best_val_acc"` // highest validation accuracy, mean over the runs
	At     float64    `json:"at_epoch"`     // of that, mean over the runs
	Loss   null.Float `json:"val_loss"`     // of the last epoch, mean over the runs
	Bests  []int      `json:"best_epochs"`  // epoch of each run's highest validation accuracy; 0: none was evaluated
}
