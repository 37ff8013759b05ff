enum ServeCommand: Command {
  static let name = "serve"
  static let summary = "the gateway"
  static let example = "postern serve"
  static let flags: [Flag] = []
  static func run(_ arguments: Arguments) async throws -> Int32 { 0 }
}
