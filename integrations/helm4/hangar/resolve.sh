#!/bin/sh
# Helm 4 throws away what a post-renderer says on standard error, also why it failed. So it is said
# where Helm itself says things, or on the terminal, where one of them can be opened.
exec 4>&1
said=$(hangar resolve "$@" 2>&1 >&4)
code=$?
exec 4>&-
if [ -n "$said" ]; then
	for place in "/proc/$PPID/fd/2" /dev/tty /dev/stderr; do
		if (: >>"$place") 2>/dev/null; then
			# Helm goes on to write to a file where it was, over what is appended meanwhile: over this line.
			if [ -f "$place" ]; then printf '%4095s\n' '' >>"$place"; fi
			printf '%s\n' "$said" >>"$place"
			break
		fi
	done
fi
exit "$code"
