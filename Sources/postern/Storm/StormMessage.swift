import Foundation
import GatewayFleet

/// What a part of a storm tells its parent: JSON, one message a line.
enum StormMessage: Codable {
  case progress(StormProgress)
  case result(StormResult)

  func line() throws -> String {
    String(decoding: try JSONEncoder().encode(self), as: UTF8.self)
  }

  init(line: Data) throws {
    self = try JSONDecoder().decode(StormMessage.self, from: line)
  }
}
