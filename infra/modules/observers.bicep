// An operation of Azure lies at its region, and a budget at the subscription: no group has
// them, so this one role stands at the subscription.
targetScope = 'subscription'

import { person as Person } from '../types.bicep'

@description('The resource group that makes the role this deployment\'s own.')
param groupName string

@description('What the name of the role ends with: a name is taken once in a whole tenant.')
param suffix string

@description('Who sees whether a start or a stop has worked.')
param people Person[]

@description('The group as roles name it.')
var groupId = '${subscription().id}/resourceGroups/${groupName}'

resource observer 'Microsoft.Authorization/roleDefinitions@2022-04-01' = {
  name: guid(groupId, 'switch-observer')
  properties: {
    roleName: 'Switch Observer (${suffix})'
    description: 'Read how an operation of Azure goes, and what a budget says.'
    type: 'CustomRole'
    assignableScopes: [
      subscription().id
    ]
    permissions: [
      {
        actions: [
          'Microsoft.Compute/locations/operations/read'
          'Microsoft.Consumption/budgets/read'
        ]
      }
    ]
  }
}

resource roles 'Microsoft.Authorization/roleAssignments@2022-04-01' = [
  for person in people: {
    name: guid(subscription().id, person.id, observer.name)
    properties: {
      principalId: person.id
      principalType: person.type
      roleDefinitionId: subscriptionResourceId('Microsoft.Authorization/roleDefinitions', observer.name)
    }
  }
]
