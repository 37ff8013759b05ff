import GatewayKit

/// The flags of `postern simulate`.
enum SimulateFlags {
  /// The flags that override keys of the file.
  static let world = [
    Flag("clients", "N", "how many clients, in place of the file's"),
    Flag("seed", "N", "the seed of all chance, in place of the file's"),
    Flag("fidelity", "machines|wire", "the machines alone, or the whole gateway with its wires (default: the file's)"),
    Flag("threads", "N", "how many worlds run at once (default: one for each core)"),
  ]

  static let outcome =
    [
      Flag(
        "seeds", "N",
        "run it with so many seeds from --seed on, and hold them against each other; files, --json and --summary are of the first (default 1)"
      ),
      Flag("threshold", "EXPR", "as postern storm has it, in place of the file's", repeats: true),
      Flag("report", "DIR", "write storm.html and storm.json there"),
      Flag("html", "FILE", "write the page there"),
      Flag("json", nil, "print the JSON report in place of the table"),
    ] + ReportOutputs.flags
}
