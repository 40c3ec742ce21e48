// Package attnconv holds the version of the module, and says what its packages are for.
//
// attnconv trains networks of self-attention and of convolution on images, shows what each head attends to, and checks
// the theory that relates the two: Cordonnier, Loukas, Jaggi, "On the Relationship between Self-Attention and
// Convolutional Layers", ICLR 2020 (arXiv:1911.03584). It is a program (cmd/attnconv) and a library; docs/library.md
// has the library by tasks, each with code that compiles.
//
// # The library
//
// A network, from its parameters to its logits:
//
//   - nn: parameters, scopes that name and draw them, the graph that layers record, running it
//   - nn/op: the operations that layers are built of, and the definition of one of your own
//   - posenc: attention scores before the softmax, one encoding a file
//   - option: lists of things that a user picks by name, and which option is wrong
//   - null: numbers of documents that may be unknown
//   - posenc/geometry: tokens of an image, shifts between them, Gaussian heads, in plain numbers
//   - attention: multi-head self-attention, its block, the paper's network
//   - conv: convolution, batch norm, the residual network
//   - model: a specification becomes a network, a checkpoint becomes a network
//
// Training it:
//
//   - data: sets, splits, batches
//   - data/sets: data sets: formats, download, import, the data folder
//   - train: the loop, evaluation, solvers, schedules
//   - session: the life of a run, from its settings to its summary
//   - session/trained: the network that a run has trained, or a checkpoint has
//   - configs: a run's settings in layers, presets
//   - run: a run's folder: events, checkpoints, summary
//   - run/event: what happens in a run: the lines of its metrics
//   - model/ckpt: the checkpoint file, which is a safetensors file
//
// Looking at it:
//
//   - model/heads: attention scores and value matrices of a network, freezing and pruning
//   - analyse: how convolutional a layer is, on plain arrays
//   - analyse/network: how convolutional the layers of a network are
//   - analyse/vision: vision transformers of other programs, read and computed forward
//   - viz: figures from plain values
//   - study: runs compared, with intervals, and which runs compare
//   - study/stats: statistics over seeds and images, on plain slices
//   - model/convert: convolutions of a trained network become attention with equal outputs, and back
//   - model/torchnames: weights under the names of other programs
//   - theorem: a convolution becomes attention
//   - internal/plain: attention and convolution in loops that read like the equations
//
// What is chosen by name is a list: posenc.Kinds, model.Kinds, model.Blocks, sets.Kinds, train.Solvers, train.Schedules
// and others have Names, Find, Has, Default and Check. Kinds of one's own join them by Register, in an init function.
//
// # Where to start reading
//
// Seven files, in this order:
//
//  1. internal/plain/attend.go: attention by its equation
//  2. posenc/quadratic.go: the score of the paper's heads
//  3. attention/attention.go: the layer
//  4. attention/block.go: the block around it
//  5. attention/stack.go: the network
//  6. train/train.go: the loop of training
//  7. theorem/fromconv.go: Theorem 1
//
// ARCHITECTURE.md goes on from there, down to the assembly.
//
// # What is stable
//
// Before version 1.0, names may change with a new minor version, and the changelog says which. These do not change: the
// format of checkpoints and of a run's folder (older ones are read; keys of JSON are only ever added), the meaning of a
// seed on one kernel set, and the command line. Packages under internal may change at any time.
package attnconv

// Version is the version of this module: that of the release, or of the one being prepared. It has no v in front.
const Version = "0.1.0"
