import GatewayCore
import GatewayKit

/// An order for a worker, the body of `POST /parts`: one part of a storm, as its command line has it.
struct WorkerOrder: Codable {
  /// The version of the storm, which is the worker's too.
  var version: String
  /// The unique name of the storm: a worker carries out parts of one at a time.
  var storm: String
  /// The words behind `postern storm`.
  var words: [String]
  /// The variables that begin with `POSTERN_`.
  var environment: [String: String]
  var part: StormPart

  /// The maximum number of bytes of an order as JSON.
  static let bytesMax = 1 << 20

  /// Throws if the storm has another version, or a name that no storm has.
  func check() throws(WorkerRefusal) {
    guard Name(version) == Name(GatewayDescription.currentVersion) else {
      throw WorkerRefusal(
        409, "the storm is postern \(version.prefix(20)), and the worker is \(GatewayDescription.currentVersion)")
    }
    guard storm.utf8.count == 16, storm.utf8.allSatisfy({ (0x30...0x39).contains($0) || (0x61...0x66).contains($0) })
    else { throw WorkerRefusal(400, "a storm's name has 16 hexadecimal digits") }
  }
}

/// The answer to `GET /worker`, which a storm reads before it orders a part.
struct WorkerStatus: Codable {
  let version: String
  /// The worker's clock, in nanoseconds since 1970.
  let nanoseconds: Int64
  /// The parts that it carries out, and how many it may.
  let parts: Int
  let partsMax: Int
}

/// The reason why a worker refuses a request, with the HTTP status of its answer.
struct WorkerRefusal: Error, Hashable {
  let status: Int
  let message: String

  init(_ status: Int, _ message: String) {
    self.status = status
    self.message = message
  }
}

/// The reason why a worker cannot be had or has failed, for the user of the storm.
struct WorkerFailure: Error, CustomStringConvertible {
  let description: String

  init(_ description: String) {
    self.description = description
  }
}
