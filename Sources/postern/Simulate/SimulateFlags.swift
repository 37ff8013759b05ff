import GatewayKit
import GatewayPlanner

/// The flags of `postern simulate`.
enum SimulateFlags {
  static let options = world + outcome

  @OptionList<SimulateDraft>
  static var world: [Option<SimulateDraft>] {
    fleet.map { $0.of(\.world) }
    Option(
      "fidelity", "machines|wire", "the machines alone, or the whole gateway with its wires (default: the file's)",
      \.world.fidelity, .choice)
    threads.map { $0.of(\.world) }
  }

  @OptionList<SimulateDraft>
  static var outcome: [Option<SimulateDraft>] {
    Option(
      "seeds", "N",
      "run it with so many seeds from --seed on, and hold them against each other; files, --json and --summary are of the first (default 1)",
      \.seeds, .int(1...1000))
    thresholds.map { $0.of(\.world) }
    Option("report", "DIR", "write storm.html and storm.json there", \.reportDirectory, .text)
    Option("html", "FILE", "write the page there", \.page, .outputFile)
    Option("json", "print the JSON report in place of the table", \.printsJSON)
    ReportOutputs.options.map { $0.of(\.outputs) }
  }

  // What `postern simulate plan` has too.

  @OptionList<SimulateDraft.World>
  static var fleet: [Option<SimulateDraft.World>] {
    Option(
      "clients", "N", "how many clients, in place of the file's", \.clients, .int(1...WorldSettings.clientsMax))
    Option("seed", "N", "the seed of all chance, in place of the file's", \.seed, .int(0 ... .max))
  }

  @OptionList<SimulateDraft.World>
  static var thresholds: [Option<SimulateDraft.World>] {
    Option("threshold", "EXPR", "as postern storm has it, in place of the file's", repeats: true) { value, world in
      world.thresholds.append(value.text)
    }
  }

  @OptionList<SimulateDraft.World>
  static var threads: [Option<SimulateDraft.World>] {
    Option("threads", "N", "how many worlds run at once (default: one for each core)", \.threads, .int(1...256))
  }
}
