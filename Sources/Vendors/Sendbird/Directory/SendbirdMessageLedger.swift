internal import GatewayCore

/// Which messages there are in all channels, oldest first, and how many bytes they take.
struct SendbirdMessageLedger {
  private(set) var count = 0
  private(set) var bytes = 0
  private var queue: [(id: Int64, channel: Name)] = []
  private var head = 0

  mutating func add(_ message: SendbirdMessage) {
    queue.append((message.id, message.channelURL))
    count += 1
    bytes += message.bytes
  }

  mutating func remove(_ message: SendbirdMessage) {
    count -= 1
    bytes -= message.bytes
  }

  /// A message was changed.
  mutating func resize(by growth: Int) {
    bytes += growth
  }

  /// Takes the oldest entry out; nil if there is none. What it names may have been removed since.
  mutating func takeOldest() -> (id: Int64, channel: Name)? {
    guard head < queue.count else { return nil }
    defer {
      head += 1
      if head > 1_024 && head > queue.count / 2 {
        queue.removeFirst(head)
        head = 0
      }
    }
    return queue[head]
  }

  /// Forgets the entries of what is kept no more, if those are many: so seldom that it costs each message little.
  mutating func tidy(_ isKept: (Int64, Name) -> Bool) {
    guard queue.count - head > 2 * count + 1_024 else { return }
    queue = queue[head...].filter { isKept($0.id, $0.channel) }
    head = 0
  }
}

extension SendbirdMessage {
  /// About how many bytes of memory it takes. What it shares with others counts for each.
  var bytes: Int {
    var bytes = 500 + text.utf8.count + data.utf8.count + customType.text.utf8.count + (sender?.bytes ?? 0)
    bytes += file.map { $0.url.utf8.count + $0.name.utf8.count + $0.type.utf8.count } ?? 0
    bytes += mentionedUsers.reduce(0) { $0 + 32 + $1.rawValue.utf8.count }
    for array in metaArrays {
      bytes += 64 + array.key.text.utf8.count + array.values.reduce(0) { $0 + 32 + $1.utf8.count }
    }
    bytes += parent.map { $0.text.utf8.count + ($0.sender?.bytes ?? 0) } ?? 0
    bytes += thread?.mostReplies.reduce(0) { $0 + $1.bytes } ?? 0
    return bytes
  }
}

extension SendbirdMessage.Sender {
  var bytes: Int {
    100 + id.rawValue.utf8.count + nickname.utf8.count + profileURL.utf8.count + metadata.bytes
  }
}

extension [Name: String] {
  /// About how many bytes of memory they take.
  var bytes: Int { reduce(0) { $0 + 64 + $1.key.text.utf8.count + $1.value.utf8.count } }
}
