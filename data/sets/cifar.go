package sets

import (
	"strings"

	"github.com/attnconv/attnconv/data"
)

// CIFAR-10 and CIFAR-100, as their makers distribute them.
// Source: Krizhevsky, https://www.cs.toronto.edu/~kriz/cifar.html, "Binary version" and "Python version".

var cifar10Kind = fileKind("CIFAR-10: 50,000 + 10,000 photographs of 10 classes", data.Digests{
	Train: "a0181da372c0d63a5920fdbea2ec3f83ecbc552d378218e1cb473cf634941a3b",
	Test:  "8e2eb146ae340b09e24670f29cabc6326dba54da8789dab6768acf480273f65b", // also the SHA-256 of test_batch.bin
}, cifar10, cifar10Python)

var cifar100Kind = fileKind("CIFAR-100: 50,000 + 10,000 photographs of 100 classes (fine labels)", data.Digests{},
	cifar100, cifar100Python)

// origin is where the archives come from.
const origin = "https://www.cs.toronto.edu/~kriz/"

var cifar10 = layout{
	format: rgb32, name: "cifar10", title: "CIFAR-10 binary",
	folder: "cifar-10-batches-bin", archive: "cifar-10-binary",
	train: []string{"data_batch_1.bin", "data_batch_2.bin", "data_batch_3.bin", "data_batch_4.bin",
		"data_batch_5.bin"},
	test:     "test_batch.bin",
	perTrain: 10000, perTest: 10000,
	classes:   strings.Fields("airplane automobile bird cat deer dog frog horse ship truck"),
	published: release{origin, 170052171, "c4a38c50a1bc5f3a1c5537f2155ab9d68f9f25eb1ed8d9ddda3db29a59bca1dd"},
}

var cifar10Python = layout{
	format: rgb32, name: "cifar10", title: "CIFAR-10 python",
	folder: "cifar-10-batches-py", archive: "cifar-10-python",
	train:    []string{"data_batch_1", "data_batch_2", "data_batch_3", "data_batch_4", "data_batch_5"},
	test:     "test_batch",
	perTrain: 10000, perTest: 10000, labels: "labels",
	classes:   cifar10.classes,
	published: release{origin, 170498071, "6d958be074577803d12ecdefd02955f39262c83c16fe9348329d7fe0b5c001ce"},
}

var cifar100 = layout{
	format: rgb32, name: "cifar100", title: "CIFAR-100 binary",
	folder: "cifar-100-binary", archive: "cifar-100-binary",
	train: []string{"train.bin"}, test: "test.bin",
	perTrain: 50000, perTest: 10000,
	coarse: 20,
	classes: strings.Fields(`apple aquarium_fish baby bear beaver bed bee beetle bicycle bottle bowl boy bridge bus
		butterfly camel can castle caterpillar cattle chair chimpanzee clock cloud cockroach couch crab crocodile cup
		dinosaur dolphin elephant flatfish forest fox girl hamster house kangaroo keyboard lamp lawn_mower leopard lion
		lizard lobster man maple_tree motorcycle mountain mouse mushroom oak_tree orange orchid otter palm_tree pear
		pickup_truck pine_tree plain plate poppy porcupine possum rabbit raccoon ray road rocket rose sea seal shark
		shrew skunk skyscraper snail snake spider squirrel streetcar sunflower sweet_pepper table tank telephone
		television tiger tractor train trout tulip turtle wardrobe whale willow_tree wolf woman worm`),
	published: release{origin, 168513733, "58a81ae192c23a4be8b1804d68e518ed807d710a4eb253b1f2a199162a40d8ec"},
}

var cifar100Python = layout{
	format: rgb32, name: "cifar100", title: "CIFAR-100 python",
	folder: "cifar-100-python", archive: "cifar-100-python",
	train: []string{"train"}, test: "test",
	perTrain: 50000, perTest: 10000, labels: "fine_labels",
	classes:   cifar100.classes,
	published: release{origin, 169001437, "85cd44d02ba6437773c5bbd22e183051d648de2e7d6b014e1ef29b855ba677a7"},
}
