# Shortens the output of go build -v, a line for each package, and passes on errors.
/[: ]/ { print; next }
++compiled % 50 == 0 { print "  " compiled " packages are compiled"; fflush() }
