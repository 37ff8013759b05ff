import GatewayKit
import GatewaySpace

/// The values of the flags about hosted spaces, which `serve` and `proxy` have.
struct SpacesDraft: Sendable {
  var countMax = 1_000
  var allowsLowPorts = false
  /// The folder whose files an order for a space may name.
  var folder: String?
  /// The maximum memory of the journals of all spaces, in MiB.
  var journalMiB = Spaces.usualJournalBytesMax >> 20

  @OptionList<SpacesDraft>
  static var options: [Option<SpacesDraft>] {
    Option("spaces-max", "N", "the most hosted spaces or routes at once (default 1000)", \.countMax, .int(1...10_000))
    Option(
      "spaces-journal-max", "MIB",
      "memory for the journals of all hosted spaces or routes, in MiB; each takes 8, or less if there are many (default 2048)",
      \.journalMiB, .int(1...1_048_576))
    Option(
      "spaces-folder", "DIRECTORY", "the folder whose files an order for a space may name (default: none)",
      \.folder, .text)
    Option(
      "spaces-low-ports", "allow an order for a space to choose a port below 1024 (default: such an order is rejected)",
      \.allowsLowPorts
    )
  }
}
