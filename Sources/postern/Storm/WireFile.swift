import GatewayKit
import GatewayWires

/// The description of a wire that a flag or an operand names: a file, or the name of one that comes with postern.
enum WireFile {
  /// Where those that come with postern are, below the folder in which it is called.
  private static let folder = "Deploy/wires"

  /// Throws a ``UsageError`` that says what is wrong with the file, and where.
  static func read(_ value: Arguments.Value) throws -> WireDescription {
    do {
      return try WireDescription(try DescriptionFile.read(NamedFile.path(value.text, in: folder), of: value.source))
    } catch let error as DescriptionError {
      throw UsageError("\(error)")
    }
  }
}
