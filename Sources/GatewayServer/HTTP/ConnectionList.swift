/// Connections in the order in which they came to be what the list is of, idle for instance. Holds them; one is in one list
/// at most. Only on its loop.
final class ConnectionList {
  private(set) var first: ServerConnection?
  private unowned(unsafe) var last: ServerConnection?

  func append(_ connection: ServerConnection) {
    connection.previous = last
    if let last { last.next = connection } else { first = connection }
    last = connection
  }

  func remove(_ connection: ServerConnection) {
    let (previous, next) = (connection.previous, connection.next)
    connection.previous = nil
    connection.next = nil
    if let next { next.previous = previous } else { last = previous }
    if let previous { previous.next = next } else { first = next }
  }

  /// The first that is meant.
  func first(where isMeant: (ServerConnection) -> Bool) -> ServerConnection? {
    var connection = first
    while let candidate = connection {
      if isMeant(candidate) { return candidate }
      connection = candidate.next
    }
    return nil
  }

  /// All that are meant, as they are now.
  func all(where isMeant: (ServerConnection) -> Bool) -> [ServerConnection] {
    var found: [ServerConnection] = []
    var connection = first
    while let candidate = connection {
      if isMeant(candidate) { found.append(candidate) }
      connection = candidate.next
    }
    return found
  }
}
