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
    Option("spaces-max", "N", "how many of those there may be (default 1000)", \.countMax, .int(1...10_000))
    Option(
      "spaces-journal-max", "MIB",
      "memory that the journals of all those may take, in MiB: 8 each, and less where there are many (default 2048)",
      \.journalMiB, .int(1...1_048_576))
    Option(
      "spaces-folder", "DIRECTORY", "the folder whose files an order for a space may name (default: none)",
      \.folder, .text)
    Option(
      "spaces-low-ports", "let an order for a space choose a port below 1024 (default: it is refused)", \.allowsLowPorts
    )
  }
}
