internal import GatewayCore

extension SendbirdMessage {
  /// The approximate number of bytes in memory. Shared parts count for each message.
  var bytes: Int {
    var bytes = 500 + text.utf8.count + data.utf8.count + customType.text.utf8.count + (sender?.bytes ?? 0)
    bytes += (files ?? file.map { [$0] } ?? []).reduce(0) { $0 + $1.bytes }
    bytes += mentionedUsers.reduce(0) { $0 + 32 + $1.rawValue.utf8.count }
    for array in metaArrays {
      bytes += 64 + array.key.text.utf8.count + array.values.reduce(0) { $0 + 32 + $1.utf8.count }
    }
    bytes += parent.map { $0.text.utf8.count + ($0.sender?.bytes ?? 0) } ?? 0
    bytes += thread?.mostReplies.reduce(0) { $0 + $1.bytes } ?? 0
    bytes += translations.bytes + (poll?.bytes ?? 0)
    for reaction in reactions {
      bytes += 100 + reaction.key.text.utf8.count + reaction.users.reduce(0) { $0 + 32 + $1.rawValue.utf8.count }
    }
    return bytes
  }
}

extension SendbirdMessage.File {
  fileprivate var bytes: Int {
    (thumbnails ?? []).reduce(64 + url.utf8.count + name.utf8.count + type.utf8.count) { $0 + 64 + $1.url.utf8.count }
  }
}

extension SendbirdPoll {
  fileprivate var bytes: Int {
    options.reduce(500 + title.utf8.count + (data?.utf8.count ?? 0)) { bytes, option in
      bytes + 100 + option.text.utf8.count + option.voters.reduce(0) { $0 + 32 + $1.rawValue.utf8.count }
    }
  }
}

extension SendbirdMessage.Sender {
  var bytes: Int {
    100 + id.rawValue.utf8.count + nickname.utf8.count + profileURL.utf8.count + metadata.bytes
  }
}

extension [Name: String] {
  /// The approximate number of bytes in memory.
  var bytes: Int { reduce(0) { $0 + 64 + $1.key.text.utf8.count + $1.value.utf8.count } }
}
