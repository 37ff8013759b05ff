import Foundation
import GatewayFleet

/// What a part of a storm, or the worker that carries it out, tells the storm: JSON, one message a line.
enum StormMessage: Codable {
  case progress(StormProgress)
  case result(StormResult)
  /// A worker of another machine: its process has ended, and this is the last that it said on standard error.
  case ended(status: Int32, said: String)

  func line() throws -> String {
    String(decoding: try JSONEncoder().encode(self), as: UTF8.self)
  }

  init(line: Data) throws {
    self = try JSONDecoder().decode(StormMessage.self, from: line)
  }
}
