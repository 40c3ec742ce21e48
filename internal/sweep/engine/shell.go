package engine

import (
	"fmt"
	"strings"
	"unicode"

	"github.com/attnconv/attnconv/internal/fault"
	"github.com/attnconv/attnconv/internal/shell"
	"github.com/attnconv/attnconv/option"
)

// checkLine returns an error unless all texts can be in a job. After a newline, "#$ -l …" is a directive of Grid Engine
// and "#SBATCH …" one of Slurm, also inside quotes, so quoting does not help.
func checkLine(key string, texts ...string) error {
	for _, text := range texts {
		if strings.ContainsFunc(text, unicode.IsControl) {
			return option.Errorf(key, "%q: want one line without control characters", text)
		}
	}
	return nil
}

// Script returns a shell script that runs a command in a folder; what it says goes to the file log. The error is an
// *option.Error for a name with control characters.
func Script(command []string, dir, log string) ([]byte, error) {
	if err := checkLine("command", append([]string{dir, log}, command...)...); err != nil {
		return nil, err
	}
	return fmt.Appendf(nil, "#!/bin/bash\ncd %s || exit 1\nexec %s >%s 2>&1 </dev/null\n", shell.Word(dir),
		shell.Words(command...), shell.Word(log)), nil
}

// script returns a shell script with directives that runs the job's command. requeue is what it does after the exit
// code fault.Requeue.
//
// A shell that waits would die of SIGUSR1 and SIGTERM: it passes the first on. The second reaches the command from the
// engine, which signals all processes of a task; passed on, it would be the second SIGTERM, which stops without saving.
// $! is the command also for a signal that comes before the next line.
func (j Job) script(directive string, directives []string, log, requeue string) []byte {
	var b strings.Builder
	b.WriteString("#!/bin/bash\n")
	for _, d := range append(directives, j.Extra...) {
		fmt.Fprintf(&b, "%s %s\n", directive, d)
	}
	fmt.Fprintf(&b, "\n# %s\n# Exit code %d: saved before its limit, to be run again.\n", j.About, fault.Requeue)
	fmt.Fprintf(&b, "cd %s || exit 1\n", shell.Word(j.Dir))
	if log != "" {
		fmt.Fprintf(&b, "exec >>%s 2>&1 </dev/null\n", log)
	}
	fmt.Fprintf(&b, "told= code=0\ntrap 'told=1; kill -USR1 $!' USR1\ntrap 'told=1' TERM\n%s &\n",
		shell.Words(j.Command...))
	b.WriteString(`child=$!
wait "$child" || code=$?
while [ -n "$told" ] && [ "$code" -gt 128 ]; do # the signal ended the wait; a second one returns the child's code
	told=
	code=0
	wait "$child" || code=$?
done
`)
	fmt.Fprintf(&b, "if [ \"$code\" -eq %d ]; then\n\t%s\nfi\nexit \"$code\"\n", fault.Requeue, requeue)
	return []byte(b.String())
}
