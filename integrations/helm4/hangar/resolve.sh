#!/bin/sh
# Helm 4 throws away what a post-renderer says on standard error, also why it failed. So it is said
# where Helm itself says things, or on the terminal, where one of them can be opened.
for place in "/proc/$PPID/fd/2" /dev/tty; do
	if (: >>"$place") 2>/dev/null; then
		exec 2>>"$place"
		break
	fi
done
exec hangar resolve "$@"
