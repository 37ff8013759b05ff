/// A parser that strangers reach, with the properties that hold for every input.
struct FuzzTarget: Sendable {
  /// The name on the command line, and of the folder of its seeds.
  let name: String
  /// Parses an input. Throws ``FuzzFailure`` if a property does not hold, and nothing else.
  let run: @Sendable ([UInt8]) throws -> Void

  init(_ name: String, _ run: @escaping @Sendable ([UInt8]) throws -> Void) {
    self.name = name
    self.run = run
  }
}

/// A property that does not hold for an input.
struct FuzzFailure: Error, CustomStringConvertible {
  let description: String

  init(_ description: String) {
    self.description = description
  }
}

/// Throws the message unless the condition holds.
func hold(_ condition: Bool, _ message: @autoclosure () -> String) throws(FuzzFailure) {
  if !condition { throw FuzzFailure(message()) }
}
