internal import Commands

CommandLineProgram.run()
