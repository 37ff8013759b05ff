import GatewayKit
import GatewayPlanner

/// The flags of `postern simulate`.
enum SimulateFlags {
  static let options = world + outcome

  @OptionList<SimulateDraft>
  static var world: [Option<SimulateDraft>] {
    fleet.map { $0.of(\.world) }
    Option(
      "fidelity", "machines|wire",
      "what is simulated: machines, the clients' and sessions' states alone; wire, the whole gateway with its wires (default: the file's)",
      \.world.fidelity, .choice)
    threads.map { $0.of(\.world) }
  }

  @OptionList<SimulateDraft>
  static var outcome: [Option<SimulateDraft>] {
    Option(
      "seeds", "N",
      "run this many seeds from --seed on, and compare them; files, --json and --summary show the first (default 1)",
      \.seeds, .int(1...1000))
    thresholds.map { $0.of(\.world) }
    Option("report", "DIR", "write storm.html and storm.json to this folder", \.reportDirectory, .text)
    Option("html", "FILE", "write the HTML report to this file", \.page, .outputFile)
    Option("json", "print the JSON report instead of the table", \.printsJSON)
    ReportOutputs.options.map { $0.of(\.outputs) }
  }

  // The options that `postern simulate plan` has too.

  @OptionList<SimulateDraft.World>
  static var fleet: [Option<SimulateDraft.World>] {
    Option(
      "clients", "N|FLEET=N", "the number of clients, or that of one of several fleets, instead of the file's",
      repeats: true
    ) { value, world in
      try world.sizes.add(value, upTo: WorldSettings.clientsMax)
    }
    Option("seed", "N", "the seed of all random numbers, instead of the file's", \.seed, .int(0 ... .max))
  }

  @OptionList<SimulateDraft.World>
  static var thresholds: [Option<SimulateDraft.World>] {
    Option(
      "threshold", "EXPR", "a condition that the outcome must meet, as in postern storm, instead of the file's",
      repeats: true
    ) { value, world in
      world.thresholds.append(value.text)
    }
  }

  @OptionList<SimulateDraft.World>
  static var threads: [Option<SimulateDraft.World>] {
    Option("threads", "N", "how many simulations run at once (default: one for each core)", \.threads, .int(1...256))
  }
}
