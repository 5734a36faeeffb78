// The three roles of our own, as narrow as can be, and what is read at the subscription.
targetScope = 'subscription'

@description('The resource group that the machines are in.')
param groupName string

@description('What the names of the roles end with: a name is taken once in a whole tenant.')
param suffix string

@description('The identity of the app.')
param appPrincipalId string

@description('The group as roles name it.')
var groupId = '${subscription().id}/resourceGroups/${groupName}'

@description('What each of them may read.')
var reads = [
  'Microsoft.Compute/virtualMachines/read'
  'Microsoft.Compute/virtualMachines/instanceView/read'
]

resource operator 'Microsoft.Authorization/roleDefinitions@2022-04-01' = {
  name: guid(groupId, 'vm-operator')
  properties: {
    roleName: 'VM Operator (${suffix})'
    description: 'Start, deallocate and read a machine; whoever stops it by this role deallocates it.'
    type: 'CustomRole'
    assignableScopes: [
      groupId
    ]
    permissions: [
      {
        actions: concat(reads, [
          'Microsoft.Compute/virtualMachines/start/action'
          'Microsoft.Compute/virtualMachines/deallocate/action'
        ])
      }
    ]
  }
}

resource itself 'Microsoft.Authorization/roleDefinitions@2022-04-01' = {
  name: guid(groupId, 'vm-self-deallocate')
  properties: {
    roleName: 'VM Self Deallocate (${suffix})'
    description: 'Read and deallocate a machine, and nothing else.'
    type: 'CustomRole'
    assignableScopes: [
      groupId
    ]
    permissions: [
      {
        actions: concat(reads, [
          'Microsoft.Compute/virtualMachines/deallocate/action'
        ])
      }
    ]
  }
}

// An operation lies at its region, and a budget at the subscription: no group has them.
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

resource observes 'Microsoft.Authorization/roleAssignments@2022-04-01' = {
  name: guid(subscription().id, appPrincipalId, observer.name)
  properties: {
    principalId: appPrincipalId
    principalType: 'ServicePrincipal'
    roleDefinitionId: subscriptionResourceId('Microsoft.Authorization/roleDefinitions', observer.name)
  }
}

@description('The GUID of the role that starts and deallocates a machine.')
output operator string = operator.name

@description('The GUID of the role that only deallocates it.')
output itself string = itself.name
