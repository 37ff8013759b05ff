internal import GatewayCore
import GatewayKit

/// A poll in one channel.
struct SendbirdPoll: Hashable, StoreValue {
  static let optionsMax = 20
  /// The maximum number of votes of all options together.
  static let votesMax = 2_000

  /// An option of a poll.
  struct Option: Hashable, Codable, Sendable {
    let id: Int64
    var text: String
    let createdBy: UserID?
    let createdAt: WallTime
    var updatedAt: WallTime
    /// The voters in the order of their votes.
    var voters: [UserID] = []
  }

  /// The number that the directory assigns, increasing.
  var id: Int64 = 0
  var title: String
  /// The application's data.
  var data: String?
  let createdBy: UserID?
  let createdAt: WallTime
  var updatedAt: WallTime
  /// The time at which it closes; nil for never.
  var closeAt: WallTime?
  private(set) var isClosed = false
  var allowsSuggestions: Bool
  var allowsMultipleVotes: Bool
  private(set) var options: [Option] = []
  /// The channel in which it was sent, if it was.
  var channel: Name?
  var message: Int64?
  private var lastOption: Int64 = 0

  init(title: String, data: String?, createdBy: UserID?, closeAt: WallTime?, at now: WallTime) {
    self.title = title
    self.data = data
    self.createdBy = createdBy
    self.closeAt = closeAt
    createdAt = now
    updatedAt = now
    allowsSuggestions = false
    allowsMultipleVotes = false
  }

  func isOpen(at now: WallTime) -> Bool {
    !isClosed && (closeAt.map { now < $0 } ?? true)
  }

  var voters: Set<UserID> { Set(options.flatMap(\.voters)) }

  // MARK: Changing

  /// Adds an option and returns its number.
  @discardableResult
  mutating func add(_ text: String, by user: UserID?, at now: WallTime) throws(SendbirdChannelRefusal) -> Int64 {
    guard options.count < Self.optionsMax else { throw .tooManyOptions }
    lastOption += 1
    options.append(Option(id: lastOption, text: text, createdBy: user, createdAt: now, updatedAt: now))
    updatedAt = now
    return lastOption
  }

  mutating func rename(_ id: Int64, _ text: String, at now: WallTime) throws(SendbirdChannelRefusal) {
    guard let place = options.firstIndex(where: { $0.id == id }) else { throw .optionNotFound }
    options[place].text = text
    (options[place].updatedAt, updatedAt) = (now, now)
  }

  mutating func remove(_ id: Int64, at now: WallTime) throws(SendbirdChannelRefusal) {
    guard options.contains(where: { $0.id == id }) else { throw .optionNotFound }
    options.removeAll { $0.id == id }
    updatedAt = now
  }

  /// Replaces the user's votes.
  mutating func vote(_ chosen: Set<Int64>, by user: UserID, at now: WallTime) throws(SendbirdChannelRefusal) {
    guard isOpen(at: now) else { throw .pollClosed }
    guard chosen.isSubset(of: options.map(\.id)) else { throw .optionNotFound }
    guard allowsMultipleVotes || chosen.count <= 1 else { throw .tooManyVotes }
    for index in options.indices {
      let has = options[index].voters.contains(user)
      if has && !chosen.contains(options[index].id) { options[index].voters.removeAll { $0 == user } }
      if !has && chosen.contains(options[index].id) { options[index].voters.append(user) }
    }
    guard options.reduce(0, { $0 + $1.voters.count }) <= Self.votesMax else { throw .tooManyVotes }
    updatedAt = now
  }

  mutating func close(at now: WallTime) {
    isClosed = true
    updatedAt = now
  }
}

/// The channel of a poll, and whether the poll was deleted.
struct SendbirdPollPlace: StoreValue {
  var poll: Int64
  var deletedAt: WallTime?
}
