package refs

import (
	"errors"
	"fmt"
	"slices"
	"strconv"

	"github.com/spf13/cobra"
	"github.com/spf13/pflag"

	"github.com/attnconv/attnconv/cmd/internal/term"
	"github.com/attnconv/attnconv/option"
)

// FlagError turns an error of pflag into a usage error with advice.
func FlagError(cmd *cobra.Command, err error) error {
	if errors.Is(err, pflag.ErrHelp) { // of --help-all: cobra shows the help
		return err
	}
	if args := cmd.Flags().Args(); cmd.HasSubCommands() && len(args) > 0 {
		return unknownCommand(cmd, args[0]) // in "attnconv trian --lr 1" the command is wrong
	}
	var (
		choice  *option.Error
		more    = "(" + cmd.CommandPath() + " --help)"
		unknown *pflag.NotExistError
		value   *pflag.InvalidValueError
		none    *pflag.ValueRequiredError
		syntax  *pflag.InvalidSyntaxError
	)
	switch {
	case errors.As(err, &unknown) && unknown.GetSpecifiedShortnames() != "":
		words := didYouMean(flagWord(cmd, unknown.GetSpecifiedName()))
		return term.Usagef(words+more, "unknown flag -%s", unknown.GetSpecifiedName())
	case errors.As(err, &unknown) && unknown.GetSpecifiedName() == "dry-run" && cmd.Name() == "rm":
		return term.Usagef("without -y it lists what it would remove, and asks   "+more, "unknown flag --dry-run")
	case errors.As(err, &unknown):
		return term.Usagef(didYouMean(meantFlag(cmd, unknown.GetSpecifiedName()))+more, "unknown flag --%s",
			unknown.GetSpecifiedName())
	case errors.As(err, &none):
		return term.Usagef(more, "--%s: want a value", none.GetFlag().Name)
	case errors.As(err, &choice): // it says what the value may be
		return choice
	case errors.As(err, &value):
		f := value.GetFlag()
		want := errors.Unwrap(value).Error()
		if f.Value.Type() == "bool" {
			want = "want true or false, or nothing"
		}
		if f.Name == "resume" {
			more = fmt.Sprintf("did you mean --resume %s?   %s", value.GetValue(), more)
		}
		return term.Usagef(more, "--%s %q: %s", f.Name, value.GetValue(), want)
	case errors.As(err, &syntax):
		return term.Usagef(more, "%s: not a flag", syntax.GetSpecifiedFlag())
	}
	return term.Usagef(more, "%s", err)
}

// KnownCommand refuses arguments of a command that only has subcommands.
func KnownCommand(cmd *cobra.Command, args []string) error {
	if len(args) == 0 {
		return nil
	}
	return unknownCommand(cmd, args[0])
}

func unknownCommand(root *cobra.Command, name string) error {
	meant := slices.Clone(meantCommand(root, name))
	for i, words := range meant {
		meant[i] = strconv.Quote(words)
	}
	return term.Usagef(didYouMean(meant...)+"("+root.CommandPath()+" --help)", "unknown command %q", name)
}

// Arguments refuses more than most arguments, and empty ones: without an argument, many commands take the newest run,
// which a variable that is not set must not mean.
func Arguments(most int) cobra.PositionalArgs {
	return func(cmd *cobra.Command, args []string) error {
		if slices.Contains(args, "") {
			return term.Usagef("is a variable not set?", "%s: an argument is empty", cmd.CommandPath())
		}
		if len(args) > most {
			return extra(cmd, args[most])
		}
		return nil
	}
}

// First returns the first argument, or "".
func First(args []string) string {
	if len(args) == 0 {
		return ""
	}
	return args[0]
}

// Exactly requires one argument, called what.
func Exactly(what string) cobra.PositionalArgs { return Between(1, 1, what) }

// Between requires least to most arguments. Errors call a missing one what.
func Between(least, most int, what string) cobra.PositionalArgs {
	return func(cmd *cobra.Command, args []string) error {
		if len(args) < least {
			return term.Usagef("("+cmd.CommandPath()+" --help)", "%s: want %s", cmd.CommandPath(), what)
		}
		return Arguments(most)(cmd, args)
	}
}

// extra returns the error for an unexpected argument.
func extra(cmd *cobra.Command, arg string) error {
	return term.Usagef(didYouMean(meantArgument(cmd, arg))+"("+cmd.CommandPath()+" --help)",
		"%s: unexpected argument %q",
		cmd.CommandPath(), arg)
}
