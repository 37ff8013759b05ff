internal import GatewayCore
internal import GatewayKit
internal import GatewayTokens

/// An uploaded file of a Sendbird application.
struct SendbirdFile: Hashable, StoreValue {
  /// The unguessable name, which gives access to the file.
  let id: String
  let name: String
  /// The media type that its owner gave it; empty for none.
  let type: String
  /// The user who uploaded it; nil for a server.
  let owner: UserID?
  let createdAt: WallTime
  var bytes: [UInt8] { content.bytes }
  private let content: Content

  init(id: String, name: String, type: String, owner: UserID?, createdAt: WallTime, bytes: [UInt8]) {
    self.id = id
    self.name = name
    self.type = type
    self.owner = owner
    self.createdAt = createdAt
    content = Content(bytes: bytes)
  }

  /// Bytes that are stored as one text.
  private struct Content: Hashable, Codable, Sendable {
    let bytes: [UInt8]

    init(bytes: [UInt8]) {
      self.bytes = bytes
    }

    init(from decoder: any Decoder) throws {
      let container = try decoder.singleValueContainer()
      guard let bytes = Base64.decode(try container.decode(String.self)) else {
        throw DecodingError.dataCorruptedError(in: container, debugDescription: "a file that is no base64")
      }
      self.bytes = bytes
    }

    func encode(to encoder: any Encoder) throws {
      var container = encoder.singleValueContainer()
      try container.encode(Base64.encode(bytes))
    }
  }
}

/// The uploaded files of a Sendbird application. Bounded: the oldest are displaced by new ones.
///
/// Each operation is atomic; a file above the limit for all throws `GatewayError.tooMany`, an unavailable store
/// `GatewayError.storeUnavailable`.
struct SendbirdFiles: Sendable {
  private static let files = StoreTable<SendbirdFile>("sendbird.file")
  /// The memory of a file besides its bytes.
  private static let overhead = 512

  private let store: any Store
  private let bytesMax: Int
  private let numbers: SendbirdNumbers
  private let ages: SendbirdAges

  /// Creates a directory in `store`, with room for `bytesMax` bytes.
  init(_ store: any Store, on executor: any SerialExecutor, bytesMax: Int) {
    self.store = store
    self.bytesMax = bytesMax
    numbers = SendbirdNumbers("file", in: store, on: executor)
    ages = SendbirdAges("sendbird.file-age", in: store)
  }

  func file(_ id: String, at now: WallTime) async throws(GatewayError) -> SendbirdFile? {
    do throws(StoreError) {
      return try await store.get(Self.files.key(id), as: SendbirdFile.self, at: now)
    } catch {
      throw GatewayError(error)
    }
  }

  func keep(_ file: SendbirdFile, at now: WallTime) async throws(GatewayError) {
    let size = file.bytes.count + Self.overhead
    guard size <= bytesMax else { throw .tooMany.detailed("\(bytesMax) bytes of files") }
    let count = StoreCount("sendbird.file-bytes", atMost: bytesMax, of: "bytes of files", weight: size)
    try await SendbirdAges.makingRoom(in: count) { (givingWay) async throws(StoreOr<GatewayError>) in
      try await store.transact(at: now) {
        (transaction: inout StoreTransaction<StoreOr<GatewayError>>) async throws(StoreOr<GatewayError>) in
        do throws(StoreError) {
          for oldest in try await ages.oldest(givingWay, at: now) {
            transaction.delete(ages.key(of: oldest))
            for id in oldest.parts { transaction.delete(Self.files.key(id)) }
          }
          let number = try await numbers.take(at: now)
          transaction.put(Self.files.key(file.id), file, in: [count])
          transaction.put(ages.key(number, at: now), SendbirdAgeRow(number: number, at: now, parts: [file.id]))
        } catch {
          throw .store(error)
        }
      }
    }
  }
}
