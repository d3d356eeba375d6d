-- Lets all instances know that something has changed in the store.
return redis.call('PUBLISH', KEYS[1], '')
