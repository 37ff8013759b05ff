internal import GatewayCore

extension RedisCommand {
  /// Returns the command that logs a connection in.
  static func login(_ user: String?, _ password: Credentials) -> RedisCommand {
    var command = RedisCommand("AUTH")
    if let user { command.append(user) }
    command.append(password.token)
    return command
  }

  /// Returns the command that makes a script known to the server.
  static func load(_ script: RedisScript) -> RedisCommand { RedisCommand("SCRIPT", "LOAD", script.source) }

  /// Returns the command that runs a script on the keys of a prefix, with these arguments.
  static func call(
    _ script: RedisScript, _ prefix: String, _ arguments: RedisCommand, isRead: Bool = false
  ) -> RedisCommand {
    RedisCommand(isRead ? "EVALSHA_RO" : "EVALSHA", script.digest, "1", prefix).followed(by: arguments)
  }
}
