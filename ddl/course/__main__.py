"""The instructor's commands: `python -m ddl.course grade FOLDER` and `python -m ddl.course progress`."""

import argparse
import sys

from .grading import Limits, grade
from .help import progress


def main(arguments=None):
    parser = argparse.ArgumentParser(prog="python -m ddl.course", description=__doc__.splitlines()[0])
    commands = parser.add_subparsers(dest="command", required=True)
    grading = commands.add_parser("grade", help="grade all notebooks of a folder into a CSV file")
    grading.add_argument("folder")
    grading.add_argument("-o", "--output", default="grades.csv", help="the CSV file (grades.csv)")
    grading.add_argument("--cell", type=float, default=Limits.cell, help="seconds a cell may take (%(default)g)")
    grading.add_argument("--seconds", type=float, default=Limits.seconds, help="a notebook (%(default)g)")
    grading.add_argument("--memory", type=int, default=Limits.memory, help="megabytes (%(default)d)")
    shown = commands.add_parser("progress", help="what was solved, in the folder that this is called in")
    shown.add_argument("--csv", metavar="FILE", help="write it as a table")
    chosen = parser.parse_args(arguments)
    try:
        if chosen.command == "progress":
            print(progress().csv(chosen.csv) if chosen.csv else progress())
        else:
            grade(chosen.folder, chosen.output, Limits(chosen.cell, chosen.seconds, chosen.memory))
            print(f"The grades are in {chosen.output}.")
    except (ValueError, RuntimeError, OSError) as error:
        sys.exit(str(error))


if __name__ == "__main__":
    main()
